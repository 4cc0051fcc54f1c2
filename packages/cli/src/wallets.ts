import type { Call } from './command.ts'
import { usageProblem } from './problem.ts'

/** Resolves operands: `@savings` is a bundle, or the saved addresses with that label. */
export async function walletsOf(call: Call, operands: readonly string[] = call.operands): Promise<string[]> {
  const names = operands.filter((operand) => operand.startsWith('@'))
  if (names.length === 0) return [...operands]
  const book = await readBook(call)
  const addresses = operands.flatMap((operand) => (operand.startsWith('@') ? book(operand.slice(1)) : [operand]))
  return [...new Set(addresses)]
}

async function readBook({ service, host: { signal } }: Call): Promise<(name: string) => string[]> {
  const { client } = service()
  const [bundles, entries] = [await client.listBundles({}, { signal }), await client.listAddressBook({}, { signal })]
  return (name) => {
    const bundle = bundles.data.find((one) => one.name === name)
    const labelled = entries.data.filter(({ label }) => label === name).map(({ address }) => address)
    const found = bundle?.addresses ?? labelled
    if (found.length === 0) {
      throw usageProblem(
        `No bundle or saved address has the name "${name}". See "coffer wallet list" and "coffer wallet bundles".`,
      )
    }
    return found
  }
}

export async function walletOf(call: Call, operands?: readonly string[]): Promise<string> {
  const wallets = await walletsOf(call, operands)
  const [wallet] = wallets
  if (wallet === undefined || wallets.length > 1)
    throw usageProblem(`The command takes one address, not ${wallets.length}.`)
  return wallet
}
