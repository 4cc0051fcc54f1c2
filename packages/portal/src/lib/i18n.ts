import { i18n } from '@lingui/core'

/** The sources are in English. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

const STORED = 'coffer.language'

/**
 * Translates `text`, an English literal in ICU message format, e.g. `{n, plural, one {# key} other {# keys}}`.
 * It is the key of the German text in the screen's `de.json`, or in locales/ for everything else.
 */
export function t(text: string, values?: Readonly<Record<string, unknown>>): string {
  // English texts equal to their keys are in no catalog.
  if (!values && i18n.messages[text] === undefined) return text
  return i18n._(text, { ...values })
}

/** Returns the chosen language, else the browser's first supported one. */
export function chosenLanguage(): Language {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages]
  const known = wanted.map((tag) => tag?.slice(0, 2)).find((tag) => tag !== undefined && tag in LANGUAGES)
  return (known as Language | undefined) ?? 'en'
}

/** Reloads the page, because texts are read during rendering. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(STORED, language)
  location.reload()
}

export type Messages = Record<string, string>

const german = import.meta.glob<Messages>('../screens/*/de.json', { query: '?de', import: 'messages' })

/** Loads a screen's German texts along with the screen; the English ones are in the frame. */
export async function loadScreenTexts(folder: string): Promise<void> {
  const load = german[`../screens/${folder}/de.json`]
  if (load && i18n.locale === 'de') i18n.load(i18n.locale, await load())
}
