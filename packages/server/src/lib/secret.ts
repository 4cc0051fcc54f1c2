import { inspect } from 'node:util'

const HIDDEN = '[secret]'

/** A value that must never print: a log line, a JSON body, a template or an inspection of it shows `[secret]`. */
export type Secret = {
  /** The value itself, for the one place that uses it. */
  reveal(): string
  toString(): string
  toJSON(): string
}

/** Wraps a password, a key, or a URL that may hold one. */
export function secret(value: string): Secret {
  const hidden = {
    reveal: () => value,
    toString: () => HIDDEN,
    toJSON: () => HIDDEN,
    [inspect.custom]: () => HIDDEN,
  }
  return Object.freeze(hidden)
}

/** Host and port of a URL; the rest of it may hold a key. */
export const hostOf = (url: Secret): string => new URL(url.reveal()).host
