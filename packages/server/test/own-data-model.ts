import { type Answer, ok, refusal } from './own-data.ts'

/** Expected answers in plain arithmetic. */
export type Model = {
  credits: number
  charged: number
  entries: { address: string; label: string; kept: boolean }[]
  bundles: { id: string; name: string; addresses: string[] }[]
}

export const QUOTAS = { addressBook: 5, bundles: 3, bundleSize: 3 } as const

const INVALID = refusal(400, 'VALIDATION_ERROR')
const NO_ENTRY = refusal(404, 'ADDRESSBOOK_ENTRY_NOT_FOUND')
const NO_BUNDLE = refusal(404, 'BUNDLE_NOT_FOUND')

/** Only EVM addresses ignore case. */
export const normal = (address: string) => (address.startsWith('0x') ? address.toLowerCase() : address)

const isSame = (a: readonly string[], b: readonly string[]) => [...a].sort().join() === [...b].sort().join()

/** 402 comes before all but 400. */
function paid(model: Model, answer: Answer | (() => Answer)): Answer {
  const { credits: creditsAvailable } = model
  if (creditsAvailable < 1) {
    const body = { message: 'Insufficient credits', creditsRequired: 1, creditsAvailable, creditsNeeded: 1 }
    return { status: 402, body }
  }
  const expected = typeof answer === 'function' ? answer() : answer
  if (expected.status < 400) {
    model.credits -= 1
    model.charged += 1
  }
  return expected
}

const shown = ({ address, label, kept }: Model['entries'][number]) => ({
  address,
  label,
  plan: kept ? 'PRO' : 'FREE',
  expiresAt: kept ? '2999-01-01T00:00:00.000Z' : null,
  isPaid: kept,
})
const book = (model: Model) => ok(model.entries.map(shown))

export const listBook = (model: Model) => paid(model, () => book(model))

export function addEntries(model: Model, given: readonly { address: string; label: string }[]): Answer {
  const entries = given.map(({ address, label }) => ({ address: normal(address), label, kept: false }))
  if (new Set(entries.map(({ address }) => address)).size < entries.length) return INVALID
  return paid(model, () => {
    const added = entries.filter(({ address }) => !hasEntry(model, address))
    const current = model.entries.length
    if (added.length > 0 && current + added.length > QUOTAS.addressBook) {
      return refusal(422, 'ADDRESSBOOK_QUOTA_REACHED', { quota: QUOTAS.addressBook, current })
    }
    model.entries.push(...added)
    return book(model)
  })
}

const hasEntry = (model: Model, address: string) => model.entries.some((entry) => entry.address === address)

export function relabel(model: Model, address: string, label: string): Answer {
  return paid(model, () => {
    const entry = model.entries.find((candidate) => candidate.address === normal(address))
    if (!entry) return NO_ENTRY
    entry.label = label
    return ok(shown(entry))
  })
}

export function removeEntry(model: Model, given: string): Answer {
  const address = normal(given)
  return paid(model, () => {
    const entry = model.entries.find((candidate) => candidate.address === address)
    if (!entry) return NO_ENTRY
    if (entry.kept) return refusal(409, 'ADDRESSBOOK_ENTRY_NOT_DELETABLE')
    model.entries = model.entries.filter((other) => other !== entry)
    for (const bundle of model.bundles) bundle.addresses = bundle.addresses.filter((member) => member !== address)
    model.bundles = model.bundles.filter((bundle) => bundle.addresses.length > 0)
    return { status: 204, body: null }
  })
}

export const listBundles = (model: Model) => paid(model, () => ok(model.bundles))

/** `id`: the service's. */
export function createBundle(model: Model, givenName: string, given: readonly string[], id: string): Answer {
  const addresses = given.map(normal)
  const name = givenName.trim()
  if (name === '' || addresses.length === 0 || new Set(addresses).size < addresses.length) return INVALID
  return paid(model, () => {
    const problem =
      sizeProblem(addresses) ??
      savedProblem(model, addresses) ??
      quotaProblem(model) ??
      nameProblem(model.bundles, name) ??
      membersProblem(model.bundles, addresses)
    if (problem) return problem
    const bundle = { id, name, addresses }
    model.bundles.push(bundle)
    return ok(bundle, 201)
  })
}

export function getBundle(model: Model, id: string): Answer {
  return onBundle(model, id, (bundle) => ok(bundle))
}

export function renameBundle(model: Model, id: string, givenName: string): Answer {
  const name = givenName.trim()
  if (name === '') return INVALID
  return onBundle(model, id, (bundle, others) => {
    const problem = nameProblem(others, name)
    if (problem) return problem
    bundle.name = name
    return ok(bundle)
  })
}

export function removeBundle(model: Model, id: string): Answer {
  return onBundle(model, id, (_, others) => {
    model.bundles = others
    return { status: 204, body: null }
  })
}

export function addMember(model: Model, id: string, given: string): Answer {
  const address = normal(given)
  return onBundle(model, id, (bundle, others) => {
    if (bundle.addresses.includes(address)) return ok(bundle)
    const addresses = [...bundle.addresses, address]
    const problem = sizeProblem(addresses) ?? savedProblem(model, [address]) ?? membersProblem(others, addresses)
    if (problem) return problem
    bundle.addresses = addresses
    return ok(bundle)
  })
}

export function removeMember(model: Model, id: string, given: string): Answer {
  const address = normal(given)
  return onBundle(model, id, (bundle, others) => {
    if (!bundle.addresses.includes(address)) return NO_ENTRY
    const addresses = bundle.addresses.filter((member) => member !== address)
    if (addresses.length === 0) return refusal(422, 'BUNDLE_EMPTY')
    const problem = membersProblem(others, addresses)
    if (problem) return problem
    bundle.addresses = addresses
    return ok(bundle)
  })
}

type Bundle = Model['bundles'][number]

function onBundle(model: Model, id: string, then: (bundle: Bundle, others: Bundle[]) => Answer): Answer {
  return paid(model, () => {
    const bundle = model.bundles.find((candidate) => candidate.id === id)
    if (!bundle) return NO_BUNDLE
    return then(
      bundle,
      model.bundles.filter((other) => other !== bundle),
    )
  })
}

function sizeProblem(addresses: readonly string[]): Answer | undefined {
  const { bundleSize: limit } = QUOTAS
  return addresses.length > limit ? refusal(422, 'BUNDLE_SIZE_LIMIT_EXCEEDED', { limit }) : undefined
}

function savedProblem(model: Model, given: readonly string[]): Answer | undefined {
  const addresses = given.filter((address) => !hasEntry(model, address))
  return addresses.length > 0 ? refusal(422, 'BUNDLE_ADDRESS_NOT_IN_ADDRESS_BOOK', { addresses }) : undefined
}

function quotaProblem({ bundles: { length: current } }: Model): Answer | undefined {
  const { bundles: quota } = QUOTAS
  return current >= quota ? refusal(422, 'BUNDLE_QUOTA_REACHED', { quota, current }) : undefined
}

function nameProblem(others: readonly Bundle[], name: string): Answer | undefined {
  return others.some((bundle) => bundle.name === name) ? refusal(409, 'BUNDLE_NAME_TAKEN', { name }) : undefined
}

function membersProblem(others: readonly Bundle[], addresses: readonly string[]): Answer | undefined {
  const equal = others.find((bundle) => isSame(bundle.addresses, addresses))
  return equal && refusal(409, 'BUNDLE_MEMBERS_ALREADY_BUNDLED', { bundleId: equal.id })
}
