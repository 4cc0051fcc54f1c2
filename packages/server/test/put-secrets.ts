import { once } from 'node:events'
import { openDatabase } from '../src/db/database.ts'
import { createMasterKeys } from '../src/features/secrets/master-keys.ts'
import { openVault } from '../src/features/secrets/secret-vault.ts'

// Stores a secret: `put-secrets.ts <database url> <data folder> <account> <text>`. Prints a line when its vault is
// open, waits for its input to end, stores, and prints the secret's ID.

const [connection = '', dataDir = '', accountId = '', text = ''] = process.argv.slice(2)
const { db, close } = openDatabase({ connection, poolMax: 1, log: () => undefined })
const vault = await openVault(db, createMasterKeys({ configured: [], dataDir }))
process.stdout.write('ready\n')
await once(process.stdin.resume(), 'end')
process.stdout.write(`${await vault.put(db, { accountId, purpose: 'test', text })}\n`)
await close()
