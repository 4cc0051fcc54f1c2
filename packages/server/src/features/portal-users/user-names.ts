import { Failure } from '@coffer/contract'

const ALLOWED = /^[\p{L}\p{M}\x20-\x7e]+$/u
/** Such as the Hangul filler. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u
const LETTER = /\p{L}/u
/** Latin, Greek and Cyrillic; a dot above an i is invisible. */
const ACCENTS = /[\u0300-\u036f]/g

/** Table 5 of UAX #31 (scripts in wide use). All letters of a name are of one row. */
const SCRIPTS = [
  'Han Hiragana Katakana',
  'Han Hangul',
  'Han Bopomofo',
  ...'Latin Cyrillic Greek Arabic Armenian Bengali Devanagari Ethiopic Georgian Gujarati Gurmukhi Hebrew'.split(' '),
  ...'Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'.split(' '),
].map((row) => new RegExp(`^[${row.replaceAll(/\w+/g, '\\p{scx=$&}').replaceAll(' ', '')}]$`, 'u'))

/** From Unicode's confusables.txt. */
const LOOK_ALIKES = {
  a: 'аαɑ',
  b: 'вьβƅ',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еεҽ',
  f: 'ϝք',
  g: 'ɡց',
  h: 'нһηհ',
  j: 'јϳյ',
  k: 'кκ',
  l: 'iіιıӏɩ1|!',
  m: 'мμ',
  n: 'пνոռ',
  o: 'оοσօ0',
  p: 'рρ',
  q: 'ԛզ',
  r: 'г',
  s: 'ѕς$',
  t: 'тτ',
  u: 'υսʋ',
  v: 'ѵ',
  w: 'ԝωա',
  x: 'хχ',
  y: 'уүγ',
  z: 'ζ',
}
const LATIN = new Map(Object.entries(LOOK_ALIKES).flatMap(([latin, others]) => [...others].map((one) => [one, latin])))

/** Authors of audit lines. */
const OF_SERVICE = ['coffer', 'coffer-admin']
const OF_OPERATORS = ['admin', 'administrator', 'operator', 'root', 'support', 'system']

/** NFKC, without outer or repeated spaces. */
export const normalUserName = (name: string): string => name.normalize('NFKC').trim().replaceAll(/ +/g, ' ')

function skeletonOf(name: string): string {
  const bare = normalUserName(name).toLowerCase().normalize('NFKD').replaceAll(ACCENTS, '')
  const letters = [...bare].map((character) => LATIN.get(character) ?? character).join('')
  return letters
    .replaceAll(/[^\p{L}\p{M}\d]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
}

/** Throws VALIDATION_ERROR. */
export function checkUserName(given: string, others: readonly string[], { isOperator }: { isOperator: boolean }): void {
  const name = normalUserName(given)
  if (!ALLOWED.test(name) || INVISIBLE.test(name) || !/[\p{L}\d]/u.test(name) || /^\p{M}/u.test(name)) {
    throw refused('must consist of letters, digits, spaces and ASCII punctuation')
  }
  const letters = [...name].filter((character) => LETTER.test(character))
  const isOfOneScript = SCRIPTS.some((script) => letters.every((letter) => script.test(letter)))
  if (!isOfOneScript) throw refused('must use letters of one script')
  const skeleton = skeletonOf(name)
  const reserved = isOperator ? OF_SERVICE : [...OF_SERVICE, ...OF_OPERATORS]
  if (reserved.some((each) => skeletonOf(each) === skeleton)) throw refused(`${name} is reserved`)
  if (others.some((each) => skeletonOf(each) === skeleton))
    throw refused(`${name} is taken, or looks like a taken name`)
}

const refused = (reason: string) => new Failure('VALIDATION_ERROR', `name: ${reason}`)
