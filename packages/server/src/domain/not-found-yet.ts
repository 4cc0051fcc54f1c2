/** The wallet has something in a protocol that no searched log has named yet. */
export class NotFoundYet extends Error {}
