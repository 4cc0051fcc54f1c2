/** The wallet holds something that no searched log has shown. */
export class NotFoundYet extends Error {}
