import { useState } from 'react'
import { t } from '../lib/i18n.ts'
import { Button } from './button.tsx'

const SHOWN_MS = 2000

type CopyButtonProps = { text: string; name: string; label?: string; compact?: boolean }

/** `name` describes the copied text; `compact` shows an icon alone. */
export function CopyButton({ text, name, label: copy = t('Copy'), compact = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  const put = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  const label = copied ? t('Copied') : copy
  return (
    <Button
      size="sm"
      look={compact ? 'ghost' : 'secondary'}
      onClick={() => void put()}
      aria-label={`${label}: ${name}`}
      className={compact ? 'min-h-6 px-1 text-muted' : ''}
    >
      <CopyIcon done={copied} />
      {!compact && label}
    </Button>
  )
}

function CopyIcon({ done }: { done: boolean }) {
  return (
    <svg aria-hidden viewBox="0 0 16 16" className="size-3.5 fill-none stroke-current stroke-[1.4]">
      {done ? <path d="m3 8.5 3.2 3.2L13 5" /> : <path d="M5.5 5.5h7v8h-7zM3.5 10.5v-8h7" />}
    </svg>
  )
}
