import { ApiProblem } from '../../api/problem.ts'
import { t } from '../../lib/i18n.ts'

const WORDS: Readonly<Record<string, (extras: Readonly<Record<string, unknown>>) => string>> = {
  ADDRESSBOOK_QUOTA_REACHED: (extras) =>
    t('The account may save {quota} addresses and has {current}. None of these addresses was saved.', { ...extras }),
  ADDRESSBOOK_ENTRY_NOT_FOUND: () => t('This address is no longer in the address book.'),
  ADDRESSBOOK_ENTRY_NOT_DELETABLE: () => t('This address has a paid plan, or its ownership is proved.'),
  BUNDLE_QUOTA_REACHED: (extras) => t('The account may have {quota} bundles and has {current}.', { ...extras }),
  BUNDLE_SIZE_LIMIT_EXCEEDED: (extras) => t('A bundle of this account holds {limit} addresses at most.', { ...extras }),
  BUNDLE_EMPTY: () => t('A bundle keeps at least one address. Remove the bundle instead.'),
  BUNDLE_NOT_FOUND: () => t('This bundle no longer exists.'),
  BUNDLE_NAME_TAKEN: () => t('Another bundle has this name.'),
  BUNDLE_MEMBERS_ALREADY_BUNDLED: () => t('Another bundle contains exactly these addresses.'),
  BUNDLE_ADDRESS_NOT_IN_ADDRESS_BOOK: () => t('Save the address in the address book first.'),
  INSUFFICIENT_CREDITS: ({ creditsRequired = '?', creditsAvailable = '?' }) =>
    t('This costs {creditsRequired} credits; the account has {creditsAvailable}.', {
      creditsRequired: String(creditsRequired),
      creditsAvailable: String(creditsAvailable),
    }),
}

/** Reports refusals in the user's language. */
export async function inWords<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    const words = error instanceof ApiProblem ? WORDS[error.code] : undefined
    if (!(error instanceof ApiProblem && words)) throw error
    throw new ApiProblem(error.code, error.status, words(error.extras), error.extras)
  }
}
