/** Reads all pages at once. */
export const inPages = <T, R>(items: readonly T[], size: number, read: (page: T[]) => Promise<R>): Promise<R[]> =>
  Promise.all(pagesOf(items, size).map(read))

export function pagesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, page) =>
    items.slice(page * size, (page + 1) * size),
  )
}
