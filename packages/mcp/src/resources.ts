import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import type { PlainObject } from './plain-answer.ts'

const CHAINS = 'coffer://chains'
const PROTOCOLS = /^coffer:\/\/chains\/([^/?]+)\/protocols(?:\?page=(\d{1,6}))?$/
/** Largest page of the endpoint. */
const PAGE_ITEMS = 100

const JSON_TYPE = 'application/json'

export const resourceList: Resource[] = [
  {
    uri: CHAINS,
    name: 'chains',
    title: 'Chains',
    description: 'All known chains, and which of them this service reads.',
    mimeType: JSON_TYPE,
  },
]

export const resourceTemplates: ResourceTemplateType[] = [
  {
    uriTemplate: 'coffer://chains/{chainKey}/protocols{?page}',
    name: 'protocols',
    title: 'Protocols of a chain',
    description: `The supported protocols of a chain, ${PAGE_ITEMS} per page.`,
    mimeType: JSON_TYPE,
  },
]

export function readingOf(uri: string): { endpoint: string; args: PlainObject } | undefined {
  if (uri === CHAINS) return { endpoint: 'listChains', args: {} }
  const [, chainKey, page = '1'] = PROTOCOLS.exec(uri) ?? []
  if (chainKey === undefined) return undefined
  return { endpoint: 'listProtocols', args: { chainKey: decoded(chainKey), page: Number(page), limit: PAGE_ITEMS } }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
