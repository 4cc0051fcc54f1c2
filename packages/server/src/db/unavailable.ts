import pg from 'pg'

/**
 * SQLSTATE classes and codes by which a server says that it cannot answer now, although the statement may be right:
 * connection (08), refused login (28, 3D), deadlock or serialization (40), no resources (53), operator intervention and
 * time limits (57), lock not available (55P03).
 */
const passing = /^(08|28|3D|40|53|57|55P03)/

/**
 * Whether a query's error says that the database could not be reached or did not answer in time, rather than that the
 * query is wrong. Whatever the server did not say itself (sockets, the pool's limits) counts as unreachable.
 */
export function isDatabaseUnavailable(queryError: unknown): boolean {
  return !(queryError instanceof pg.DatabaseError) || passing.test(queryError.code ?? '')
}
