type NewEntry = { address: string; label: string }
/** `line` counts from 1. */
type RefusedLine = { line: number; text: string }

const SEPARATORS = /[,;\t]/
const HEADER = /^(address|wallet|adresse)$/i
/** No address of any chain type has white space or another length. */
const ADDRESS_LIKE = /^[0-9A-Za-z]{20,80}$/

/**
 * Reads lines `address,label` as people type them and spreadsheets write them. The separator is a comma, semicolon or
 * tab; quotes and a header are optional. A repeated address counts once, the first time. The service decides if an
 * address is valid.
 */
export function readEntries(text: string): { entries: NewEntry[]; refused: RefusedLine[] } {
  const entries = new Map<string, NewEntry>()
  const refused: RefusedLine[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  lines.forEach((line, at) => {
    const [address = '', label = ''] = cellsOf(line)
    if (line.trim() === '' || (at === 0 && HEADER.test(address))) return
    if (!ADDRESS_LIKE.test(address)) refused.push({ line: at + 1, text: line.trim() })
    else if (!entries.has(sameness(address))) entries.set(sameness(address), { address, label })
  })
  return { entries: [...entries.values()], refused }
}

/** The apostrophe that this service's files put before whatever a spreadsheet would run (`csv.ts` of the contract). */
const NEUTRALISED = /(^|[,;|\t\r\n])'(?=['"\s]*[=+\-@＝＋－＠])/g

/** Hexadecimal addresses ignore case. */
const sameness = (address: string): string => (address.startsWith('0x') ? address.toLowerCase() : address)

/** Returns the first two cells of a line. A quoted cell may contain separators and doubled quotes. */
function cellsOf(line: string): string[] {
  const cells: string[] = []
  let rest = line.trim()
  while (cells.length < 2) {
    const quoted = /^"((?:[^"]|"")*)"\s*/.exec(rest)
    const end = quoted ? quoted[0].length : nextSeparator(rest)
    cells.push((quoted?.[1]?.replaceAll('""', '"').replaceAll(NEUTRALISED, '$1') ?? rest.slice(0, end)).trim())
    rest = rest.slice(end).replace(SEPARATORS, '').trim()
  }
  return cells
}

function nextSeparator(text: string): number {
  const at = text.search(SEPARATORS)
  return at === -1 ? text.length : at
}

const BATCH = 100

/** One call saves a batch. */
export const inBatches = (entries: readonly NewEntry[]): NewEntry[][] =>
  Array.from({ length: Math.ceil(entries.length / BATCH) }, (_, at) => entries.slice(at * BATCH, (at + 1) * BATCH))
