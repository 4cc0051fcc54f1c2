import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import type { Plugin } from 'vite'

const catalog = /de\.json\?(en|de)$/

/** Neither values nor tags: `t` needs no message for it. */
const standsForItself = (english: string, message: unknown[]): boolean =>
  message.length === 1 && message[0] === english && !english.includes('<')

/**
 * Compiles catalogs while the application is built, so that no parser of messages is shipped. A catalog is a `de.json` of German
 * texts by their English ones: `?de` is the German half of it, `?en` the English one, of which texts that stand for themselves
 * are left out.
 */
export function messages(): Plugin {
  return {
    name: 'coffer-messages',
    enforce: 'pre',
    transform: {
      filter: { id: catalog },
      handler(code, id) {
        const language = catalog.exec(id)?.[1]
        const texts = Object.entries(JSON.parse(code) as Record<string, string>)
        const compiled = texts.flatMap(([english, german]) => {
          const message = compileMessageOrThrow(language === 'de' ? german : english)
          return language === 'en' && standsForItself(english, message) ? [] : [[english, message]]
        })
        // A string that JSON.parse reads is parsed by engines in a fraction of the time of an object literal.
        const data = JSON.stringify(JSON.stringify(Object.fromEntries(compiled)))
        return { code: `export const messages = JSON.parse(${data})`, map: null, moduleType: 'js' }
      },
    },
  }
}
