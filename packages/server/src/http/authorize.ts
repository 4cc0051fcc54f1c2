import { Failure, type Requirement } from '@coffer/contract'

export type Access = {
  readonly plan: 'FREE' | 'LITE' | 'PRO'
  readonly entitlements: readonly ('portfolio' | 'beacon')[]
}

const forbidden = (message: string) => () => new Failure('FORBIDDEN', message)
const hasPortfolio = ({ plan, entitlements }: Access) => plan === 'PRO' || entitlements.includes('portfolio')
const hasBeacon = ({ entitlements }: Access) => entitlements.includes('beacon')
const isPro = ({ plan }: Access) => plan === 'PRO'

const rules: Record<Requirement, { isMet(access: Access): boolean; refusal(): Failure }> = {
  key: { isMet: () => true, refusal: forbidden('A key is needed') },
  portfolio: { isMet: hasPortfolio, refusal: forbidden('This account has no access to portfolio data') },
  pro: { isMet: isPro, refusal: forbidden('This endpoint needs the Pro plan') },
  'pro-or-unauthorized': { isMet: isPro, refusal: () => new Failure('UNAUTHORIZED', 'Unauthorized') },
  beacon: { isMet: hasBeacon, refusal: forbidden('This account does not have the beacon add-on') },
  'beacon-and-portfolio': {
    isMet: (access) => hasBeacon(access) && hasPortfolio(access),
    refusal: forbidden('This endpoint needs the beacon add-on and access to portfolio data'),
  },
}

export const mayUse = (access: Access, requirement: Requirement): boolean => rules[requirement].isMet(access)

/** PRO includes portfolio; LITE grants nothing by itself. */
export function authorize(access: Access, requirement: Requirement): void {
  const rule = rules[requirement]
  if (!rule.isMet(access)) throw rule.refusal()
}
