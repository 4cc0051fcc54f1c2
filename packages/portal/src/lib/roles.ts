import type { Role } from '../api/types.ts'
import { t } from './i18n.ts'

/** For use inside a sentence. */
export function roleName(role: Role): string {
  if (role === 'owner') return t('owner')
  return role === 'accountant' ? t('accountant') : t('viewer')
}
