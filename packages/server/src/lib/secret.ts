import { inspect } from 'node:util'

const HIDDEN = '[secret]'

/** Logs, JSON and inspections show `[secret]`. */
export type Secret = {
  reveal(): string
  toString(): string
  toJSON(): string
}

export function secret(value: string): Secret {
  const hidden = {
    reveal: () => value,
    toString: () => HIDDEN,
    toJSON: () => HIDDEN,
    [inspect.custom]: () => HIDDEN,
  }
  return Object.freeze(hidden)
}

/** The rest of the URL may hold a key. */
export const hostOf = (url: Secret): string => new URL(url.reveal()).host
