import { i18n } from '@lingui/core'
import { messages as english } from '../locales/de.json?en'
import { chosenLanguage } from './i18n.ts'

/** Brings up the chosen language with the texts of the frame. */
export async function startLanguage(): Promise<void> {
  const language = chosenLanguage()
  const messages = language === 'en' ? english : (await import('../locales/de.json?de')).messages
  i18n.load(language, messages)
  i18n.activate(language)
  document.documentElement.lang = language
}
