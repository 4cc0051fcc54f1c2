import { inspect } from 'node:util'

/** Logs, JSON and inspections show `[secret]`. */
export type Secret = {
  reveal(): string
  toString(): string
  toJSON(): string
}

export function secret(value: string): Secret {
  const hide = () => '[secret]'
  return Object.freeze({ reveal: () => value, toString: hide, toJSON: hide, [inspect.custom]: hide })
}

export const hostOf = (url: Secret): string => new URL(url.reveal()).host
