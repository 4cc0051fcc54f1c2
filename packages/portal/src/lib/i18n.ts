import { i18n } from '@lingui/core'

/** Languages of the portal; English is what the sources are written in. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

const STORED = 'coffer.language'

/**
 * A text in the user's language. `text` is a literal of English in ICU's message format, e.g. `{n, plural, one {# key} other
 * {# keys}}`: it is the key of its German in the `de.json` beside the screen, or in locales/ for everything else.
 */
export function t(text: string, values?: Readonly<Record<string, unknown>>): string {
  // English texts that stand for themselves are in no catalog.
  if (!values && i18n.messages[text] === undefined) return text
  return i18n._(text, { ...values })
}

/** The language that was chosen, or the first one of the browser's that the portal speaks. */
export function chosenLanguage(): Language {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages]
  const known = wanted.map((tag) => tag?.slice(0, 2)).find((tag) => tag !== undefined && tag in LANGUAGES)
  return (known as Language | undefined) ?? 'en'
}

/** Texts are read while rendering, so another language starts the page anew. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(STORED, language)
  location.reload()
}

export type Messages = Record<string, string>

const german = import.meta.glob<Messages>('../screens/*/de.json', { query: '?de', import: 'messages' })

/** Loads the German texts of a screen's folder beside the screen itself; the English ones are in the frame. */
export async function loadScreenTexts(folder: string): Promise<void> {
  const load = german[`../screens/${folder}/de.json`]
  if (load && i18n.locale === 'de') i18n.load(i18n.locale, await load())
}
