import { addressBytes, anchorDiscriminator, NOBODY } from './addresses.ts'

/** Anchor's interface files, before and since 0.30. */
export type IdlType =
  | string
  | { array: [IdlType, number] }
  | { option: IdlType }
  | { defined: string | { name: string } }

type IdlField = { name: string; type: IdlType }
type IdlShape = { kind: string; fields?: readonly IdlField[]; variants?: readonly { name: string }[] }
type IdlNamed = { name: string; type?: IdlShape; discriminator?: readonly number[] }

export type Idl = { types?: readonly IdlNamed[]; accounts?: readonly IdlNamed[] }

/** Omitted values are zero. */
export type LayoutValue =
  | bigint
  | number
  | boolean
  | string
  | Uint8Array
  | null
  | undefined
  | readonly LayoutValue[]
  | { readonly [field: string]: LayoutValue }

const INTEGER = /^[ui](8|16|32|64|128)$/
const BITS_PER_BYTE = 8

const integer = (bits: number, value: LayoutValue): Uint8Array => {
  const bytes = new Uint8Array(bits / BITS_PER_BYTE)
  let left = BigInt.asUintN(bits, BigInt((value ?? 0) as bigint))
  for (let index = 0; index < bytes.length; index++, left >>= 8n) bytes[index] = Number(left & 255n)
  return bytes
}

const primitive = (type: string, value: LayoutValue): Uint8Array => {
  const bits = INTEGER.exec(type)?.[1]
  if (bits !== undefined) return integer(Number(bits), value)
  if (type === 'bool') return Uint8Array.of(value ? 1 : 0)
  if (type.toLowerCase() === 'publickey' || type === 'pubkey') return addressBytes((value as string) ?? NOBODY)
  throw new Error(`the fixtures know no type ${type}`)
}

const join = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

const shapeOf = (idl: Idl, name: string): IdlShape => {
  const all = [...(idl.types ?? []), ...(idl.accounts ?? [])]
  const shape = all.find((each) => each.name === name && each.type)?.type
  if (!shape) throw new Error(`the interface has no ${name}`)
  return shape
}

const array = (idl: Idl, [element, count]: [IdlType, number], value: LayoutValue): Uint8Array => {
  if (value instanceof Uint8Array) return join([value, new Uint8Array(count - value.length)])
  const given = (value ?? []) as readonly LayoutValue[]
  if (given.length > count) throw new Error(`${given.length} values where ${count} have room`)
  return join(Array.from({ length: count }, (_, index) => encode(idl, element, given[index])))
}

const variant = (shape: IdlShape, value: LayoutValue): Uint8Array => {
  const index =
    typeof value === 'string' ? (shape.variants ?? []).findIndex(({ name }) => name === value) : Number(value ?? 0)
  if (index < 0) throw new Error(`no variant ${String(value)}`)
  return Uint8Array.of(index)
}

const named = (idl: Idl, name: string, value: LayoutValue): Uint8Array => {
  const shape = shapeOf(idl, name)
  if (shape.kind === 'enum') return variant(shape, value)
  const given = (value ?? {}) as Record<string, LayoutValue>
  const unknown = Object.keys(given).filter((key) => !shape.fields?.some((field) => field.name === key))
  if (unknown.length > 0) throw new Error(`${name} has no ${unknown.join(', ')}`)
  return join((shape.fields ?? []).map((field) => encode(idl, field.type, given[field.name])))
}

function encode(idl: Idl, type: IdlType, value: LayoutValue): Uint8Array {
  if (typeof type === 'string') return primitive(type, value)
  if ('array' in type) return array(idl, type.array, value)
  if ('option' in type) {
    return value === null || value === undefined
      ? Uint8Array.of(0)
      : join([Uint8Array.of(1), encode(idl, type.option, value)])
  }
  return named(idl, typeof type.defined === 'string' ? type.defined : type.defined.name, value)
}

/**
 * All fields packed in declaration order. `kind`: the discriminator's source if the interface spells the name
 * differently.
 */
export const anchorData = (idl: Idl, name: string, value: LayoutValue, kind = name): Uint8Array =>
  join([anchorDiscriminator(kind), named(idl, name, value)])

/** Like `anchorData`, without a discriminator. */
export const packed = (fields: readonly (readonly [IdlType, LayoutValue])[]): Uint8Array =>
  join(fields.map(([type, value]) => encode({}, type, value)))

/** For accounts without a codec in a usable licence. */
export const handData = (kind: string, fields: readonly (readonly [IdlType, LayoutValue])[]): Uint8Array =>
  join([anchorDiscriminator(kind), packed(fields)])
