import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { t } from '../../lib/i18n.ts'

/** A minute of UTC, as the control writes it. */
export const isMoment = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && Date.parse(`${text}Z`) > 0

/** ISO 8601 with its zone. */
export const dateOf = (moment: string) => `${moment}:00Z`

export function MomentField({ moment = '', put }: { moment?: string | undefined; put: (moment: string) => void }) {
  return (
    <div className="flex flex-wrap items-end gap-3">
      <div className="w-56">
        <Field label={t('At a past time (UTC)')}>
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              value={moment}
              onChange={({ target }) => (target.value === '' || isMoment(target.value)) && put(target.value)}
            />
          )}
        </Field>
      </div>
      {moment && (
        <Button size="sm" onClick={() => put('')}>
          {t('Now')}
        </Button>
      )}
    </div>
  )
}
