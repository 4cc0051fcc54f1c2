import type { ReactNode } from 'react'

export type Part = {
  key: string
  label: string
  /** Decimal. Unknown parts, and parts not above zero, are listed but not drawn. */
  value: string
  /** Formatted value, e.g. a `Money`. */
  text: ReactNode
}
