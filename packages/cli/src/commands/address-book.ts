import { type AddressBookEntry, type Bundle, endpoints } from '@coffer/contract'
import { type Call, defineCommand } from '../command.ts'
import { type Column, textColumn } from '../output/column.ts'
import { priceOf } from '../price.ts'
import { usageProblem } from '../problem.ts'

const entryColumns: readonly Column<AddressBookEntry>[] = [
  textColumn('address', ({ address }) => address, { isWhole: true }),
  textColumn('label', ({ label }) => label),
  textColumn('plan', ({ plan }) => plan, { spare: 1 }),
  textColumn('expires', ({ expiresAt }) => expiresAt ?? '', { spare: 2 }),
]

const bundleColumns: readonly Column<Bundle>[] = [
  textColumn('name', ({ name }) => name),
  textColumn('addresses', ({ addresses }) => addresses.join(' ')),
  textColumn('id', ({ id }) => id, { spare: 1 }),
]

const shared = { printsRows: true, options: {} } as const

async function showBook({ output, service }: Call, rows: readonly AddressBookEntry[]): Promise<void> {
  await output.print({ json: service().lastJson(), columns: entryColumns, rows, empty: 'No saved addresses.' })
}

async function showBundles({ output, service }: Call, rows: readonly Bundle[]): Promise<void> {
  await output.print({ json: service().lastJson(), columns: bundleColumns, rows, empty: 'No bundles.' })
}

async function bundleNamed({ service, host: { signal } }: Call, name: string): Promise<Bundle> {
  const { data } = await service().client.listBundles({}, { signal })
  const found = data.find((bundle) => bundle.name === name || bundle.id === name)
  if (!found) throw usageProblem(`No bundle has the name "${name}". See "coffer wallet bundles".`)
  return found
}

const saved = [
  defineCommand({
    ...shared,
    name: 'wallet list',
    about: `Lists the saved addresses with their labels. ${priceOf(endpoints.listAddressBook)}.`,
    operands: '',
    examples: ['', '--csv > addresses.csv'],
    async run(call) {
      await showBook(call, (await call.service().client.listAddressBook({}, { signal: call.host.signal })).data)
    },
  }),
  defineCommand({
    ...shared,
    name: 'wallet add',
    about: `Saves an address. "wallet label" changes the label of a saved one. ${priceOf(endpoints.addToAddressBook)}.`,
    operands: 'ADDRESS [LABEL]',
    examples: ['0x… savings'],
    async run(call) {
      const [address = '', label = ''] = call.operands
      const body = { entries: [{ address, label }] }
      await showBook(call, (await call.service().client.addToAddressBook({ body }, { signal: call.host.signal })).data)
    },
  }),
  defineCommand({
    ...shared,
    name: 'wallet label',
    about: `Changes the label of a saved address. ${priceOf(endpoints.relabelAddress)}.`,
    operands: 'ADDRESS LABEL',
    examples: ['0x… savings', "0x… ''"],
    async run(call) {
      const [address = '', label = ''] = call.operands
      const { client } = call.service()
      const { data } = await client.relabelAddress(
        { params: { address }, body: { label } },
        { signal: call.host.signal },
      )
      await showBook(call, [data])
    },
  }),
  defineCommand({
    name: 'wallet remove',
    about: `Removes a saved address, also from its bundles. ${priceOf(endpoints.removeFromAddressBook)}.`,
    operands: 'ADDRESS',
    printsRows: false,
    options: {},
    examples: ['0x…'],
    async run({ service, host, output, operands: [address = ''] }) {
      await service().client.removeFromAddressBook({ params: { address } }, { signal: host.signal })
      await output.note(`${address} is removed.`)
    },
  }),
]

const bundles = [
  defineCommand({
    ...shared,
    name: 'wallet bundles',
    about: `Lists the bundles of saved addresses. ${priceOf(endpoints.listBundles)}.`,
    operands: '',
    examples: ['', '--json'],
    async run(call) {
      await showBundles(call, (await call.service().client.listBundles({}, { signal: call.host.signal })).data)
    },
  }),
  defineCommand({
    ...shared,
    name: 'wallet bundle',
    about: `Creates a bundle of saved addresses. ${priceOf(endpoints.createBundle)}.`,
    operands: 'NAME ADDRESS…',
    examples: ['treasury 0x… 0x…'],
    async run(call) {
      const [name = '', ...addresses] = call.operands
      const { data } = await call
        .service()
        .client.createBundle({ body: { name, addresses } }, { signal: call.host.signal })
      await showBundles(call, [data])
    },
  }),
  defineCommand({
    name: 'wallet unbundle',
    about: `Removes a bundle; its addresses stay saved. ${priceOf(endpoints.listBundles, endpoints.removeBundle)}.`,
    operands: 'NAME',
    printsRows: false,
    options: {},
    examples: ['treasury'],
    async run(call) {
      const { id: bundleId, name } = await bundleNamed(call, call.operands[0] ?? '')
      await call.service().client.removeBundle({ params: { bundleId } }, { signal: call.host.signal })
      await call.output.note(`The bundle ${name} is removed.`)
    },
  }),
  defineCommand({
    ...shared,
    name: 'wallet join',
    about: `Adds a saved address to a bundle. ${priceOf(endpoints.listBundles, endpoints.addBundleAddress)}.`,
    operands: 'NAME ADDRESS',
    examples: ['treasury 0x…'],
    async run(call) {
      const [name = '', address = ''] = call.operands
      const { id: bundleId } = await bundleNamed(call, name)
      const { client } = call.service()
      const { data } = await client.addBundleAddress(
        { params: { bundleId }, body: { address } },
        { signal: call.host.signal },
      )
      await showBundles(call, [data])
    },
  }),
  defineCommand({
    ...shared,
    name: 'wallet leave',
    about: `Removes an address from a bundle; the last one stays. ${priceOf(endpoints.listBundles, endpoints.removeBundleAddress)}.`,
    operands: 'NAME ADDRESS',
    examples: ['treasury 0x…'],
    async run(call) {
      const [name = '', address = ''] = call.operands
      const { id: bundleId } = await bundleNamed(call, name)
      const { client } = call.service()
      const { data } = await client.removeBundleAddress({ params: { bundleId, address } }, { signal: call.host.signal })
      await showBundles(call, [data])
    },
  }),
]

export const addressBookCommands = [...saved, ...bundles]
