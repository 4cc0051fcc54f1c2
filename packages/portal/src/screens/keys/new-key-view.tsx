import type { NewKey } from '../../api/types.ts'
import { ShownOnce } from '../../components/shown-once.tsx'
import { t } from '../../lib/i18n.ts'

export function NewKeyView({ made: { name, key }, onClose }: { made: NewKey; onClose: () => void }) {
  const curl = `curl -H 'Authorization: Bearer ${key}' ${location.origin}/v1/credits`
  const texts = [
    { name: t('Key'), text: key },
    { name: t('Try it'), text: curl },
  ]
  return <ShownOnce title={t('New key: {name}', { name })} texts={texts} onClose={onClose} />
}
