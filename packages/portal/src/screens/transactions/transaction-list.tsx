import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { t } from '../../lib/i18n.ts'
import { keyOf, type Sync, type Transaction } from './transaction.ts'
import { TransactionLine } from './transaction-line.tsx'

const LINE_HEIGHT = 62
const OVERSCAN = 10
/** Lines left when the next page loads. */
const AHEAD = 20

type TransactionListProps = {
  transactions: readonly Transaction[]
  syncs: readonly Sync[]
  /** Names a line's wallet; null if there is only one. */
  nameOf: ((address: string) => string | undefined) | null
  /** Loads the next page; null at the end. */
  more: (() => void) | null
  isLoadingMore: boolean
}

/** Draws only the lines in view; loads more near the end. */
export function TransactionList({ transactions, syncs, nameOf, more, isLoadingMore }: TransactionListProps) {
  const list = useRef<HTMLOListElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [top, setTop] = useState(0)
  useEffect(() => setTop(list.current?.offsetTop ?? 0), [])
  const virtual = useWindowVirtualizer({
    count: transactions.length,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (index) => keyAt(transactions, index),
    overscan: OVERSCAN,
    scrollMargin: top,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const isNear = more !== null && !isLoadingMore && last >= transactions.length - AHEAD
  useEffect(() => {
    if (isNear) more?.()
  }, [isNear, more])
  const toggle = (key: string) =>
    setOpen(open.has(key) ? new Set([...open].filter((one) => one !== key)) : new Set([...open, key]))
  return (
    <div className="grid gap-3">
      <ol
        ref={list}
        aria-label={t('Transactions')}
        className="relative rounded-lg border border-line bg-surface"
        style={{ height: virtual.getTotalSize() }}
      >
        {items.map((item) => {
          const one = transactions[item.index]
          return (
            one && (
              <li
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                aria-setsize={more ? -1 : transactions.length}
                aria-posinset={item.index + 1}
                className="absolute inset-x-0 top-0 border-b border-line"
                style={{ transform: `translateY(${item.start - top}px)` }}
              >
                <TransactionLine
                  transaction={one}
                  syncs={syncs}
                  nameOf={nameOf}
                  isOpen={open.has(keyOf(one))}
                  onToggle={() => toggle(keyOf(one))}
                />
              </li>
            )
          )
        })}
      </ol>
      {more && (
        <Button className="justify-self-center" busy={isLoadingMore} onClick={more}>
          {t('Show more')}
        </Button>
      )}
    </div>
  )
}

const keyAt = (transactions: readonly Transaction[], index: number): string => {
  const one = transactions[index]
  return one ? keyOf(one) : String(index)
}
