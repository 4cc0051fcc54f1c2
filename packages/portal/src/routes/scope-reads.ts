/** First reads of every screen that shows addresses (api/scope.ts), for `reads` of a `ScreenRoute`. */
export const SCOPE_READS = ['/v1/addressbook', '/v1/bundles'] as const
