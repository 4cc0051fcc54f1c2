export const inPages = <T, R>(items: readonly T[], size: number, read: (page: T[]) => Promise<R>): Promise<R[]> =>
  Promise.all(pagesOf(items, size).map(read))

export function pagesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, page) =>
    items.slice(page * size, (page + 1) * size),
  )
}

export function* lazyPagesOf<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let page: T[] = []
  for (const item of items) {
    page.push(item)
    if (page.length < size) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
