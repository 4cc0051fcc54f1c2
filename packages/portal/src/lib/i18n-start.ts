import { i18n } from '@lingui/core'
import { messages as frame } from '../locales/de.json?en'
import { chosenLanguage, type Messages } from './i18n.ts'

/** English texts that differ from their keys: too few for files of their own. */
const screens = import.meta.glob<Messages>('../screens/*/de.json', { query: '?en', import: 'messages', eager: true })

/** Activates the chosen language with the frame's texts. */
export async function startLanguage(): Promise<void> {
  const language = chosenLanguage()
  const messages = language === 'en' ? english() : (await import('../locales/de.json?de')).messages
  i18n.load(language, messages)
  i18n.activate(language)
  document.documentElement.lang = language
}

const english = (): Messages => Object.assign({}, frame, ...Object.values(screens))
