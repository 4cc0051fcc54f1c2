/** What every screen reads first that looks at addresses (api/scope.ts). For `reads` of a `ScreenRoute`. */
export const SCOPE_READS = ['/v1/addressbook', '/v1/bundles'] as const
