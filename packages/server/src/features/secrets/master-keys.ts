import { join } from 'node:path'
import type { Secret } from '../../lib/secret.ts'
import { deriveMasterKey, type MasterKeys } from './master-key.ts'
import { masterKeyFile } from './master-key-file.ts'

/**
 * Uses configured keys (32 bytes in hexadecimal digits, the current one first), else `master.key` in the data folder.
 */
export function createMasterKeys(options: { configured: readonly Secret[]; dataDir: string }): MasterKeys {
  const keys = options.configured.map((key) => deriveMasterKey(key.reveal()))
  const [current] = keys
  if (!current) return masterKeyFile(join(options.dataDir, 'master.key'))
  // Only the operator changes these.
  const unchanged = async () => undefined
  return {
    remedy: 'is not in COFFER_MASTER_KEY: add it to the list, after the first',
    current: async () => current,
    find: async (id) => keys.find((key) => key.id.equals(id)),
    make: async () => current,
    renew: unchanged,
    retire: unchanged,
  }
}
