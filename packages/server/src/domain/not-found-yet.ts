/** The wallet holds more than searched logs show. */
export class NotFoundYet extends Error {}
