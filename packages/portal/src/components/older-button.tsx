import { t } from '../lib/i18n.ts'
import { Button } from './button.tsx'

type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }

export function OlderButton({ pages, label = t('Show older') }: { pages: Pages; label?: string }) {
  return pages.hasNextPage ? (
    <Button className="justify-self-center" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
      {label}
    </Button>
  ) : null
}
