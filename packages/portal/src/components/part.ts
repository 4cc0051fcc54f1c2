import type { ReactNode } from 'react'

/** A part of a whole, drawn by its share. */
export type Part = {
  key: string
  label: string
  /** A decimal; parts not above zero, and unknown ones, are listed and not drawn. */
  value: string
  /** What the value reads as, e.g. a `Money`. */
  text: ReactNode
}
