/** As text without tags and entities. */
export function rowsOf(html: string, kind: 'chains' | 'lines'): string[][] {
  const tables = [...html.matchAll(new RegExp(`<table class="${kind}">.*?</table>`, 'gs'))]
  const rows = tables.flatMap(([table]) => [...table.matchAll(/<tr>(.*?)<\/tr>/gs)])
  return rows.map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => textOf(cell)),
  )
}

export function noticesOf(html: string): string[] {
  const [section = ''] = /<section class="notices">.*?<\/section>/s.exec(html) ?? []
  return [...section.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item = '']) => textOf(item))
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }

export const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity)
    .trim()
