import { rotateSecrets } from '../features/secrets/secret-rotation.ts'
import { type Command, defineCommand } from './admin-command.ts'

const secretsRotate = defineCommand({
  about: 'Encrypts stored secrets under the newest master key, while services run.',
  example: '',
  usage: '',
  flags: {},
  async run({ db, vault, masterKeys }) {
    await vault()
    const rotation = await rotateSecrets(db, masterKeys)
    return { print: rotation, failed: rotation.unreadable.length > 0 }
  },
})

/** Commands on all stored secrets. */
export const secretCommands: Readonly<Record<string, Command>> = {
  'secrets rotate': secretsRotate,
}
