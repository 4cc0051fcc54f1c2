import type { Role } from '../../api/types.ts'
import { Field } from '../../components/field.tsx'
import { Select } from '../../components/select.tsx'
import { t } from '../../lib/i18n.ts'
import { roleName } from '../../lib/roles.ts'

const roles = ['viewer', 'accountant', 'owner'] as const satisfies readonly Role[]

export function RoleField({ role, onChoose }: { role: Role; onChoose: (role: Role) => void }) {
  return (
    <Field label={t('Role')} hint={whatItMay(role)}>
      {(control) => (
        <Select
          {...control}
          value={role}
          choices={roles.map((value) => ({ value, label: roleName(value) }))}
          onChoose={onChoose}
        />
      )}
    </Field>
  )
}

function whatItMay(role: Role): string {
  if (role === 'viewer') return t('Sees everything, changes nothing.')
  if (role === 'accountant') return t('Sees everything, exports, and sets labels.')
  return t('Full access, including keys, members and credits.')
}
