import { openUnlimited } from '../src/db/database.ts'
import { createMasterKeys } from '../src/features/secrets/master-keys.ts'
import { rotateSecrets } from '../src/features/secrets/secret-rotation.ts'
import { secret } from '../src/lib/secret.ts'

// Does only what `coffer-admin secrets rotate` does: `rotate-secrets.ts <database url> <data folder> <configured
// keys>`.

const [connection = '', dataDir = '', ...configured] = process.argv.slice(2)
const { db, close } = openUnlimited(connection, () => undefined)
await rotateSecrets(db, createMasterKeys({ configured: configured.map(secret), dataDir }))
await close()
