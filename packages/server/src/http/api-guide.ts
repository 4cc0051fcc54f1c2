/** In Markdown: the first page of the reference. */
export const API_GUIDE = `What blockchain wallets hold and owe, what they did, and what that cost and gained, from the chains themselves. Guides for each of the subjects below, and for running the
service, are at [/docs/](/docs/).

## Authentication
Every call carries an API key: \`Authorization: Bearer coffer_…\`. Keys are made by the operator (\`coffer-admin key create\`).
\`GET /v1/credits\` and \`GET /v1/status\` are free and test a key. Plan and entitlements of the account decide what it may call:
\`x-requires\` of each operation; 403 otherwise.

## Credits
\`x-credits\` says what a call costs. It is taken once the input is valid and the work starts, and given back with every answer
of 400 and above. 402 says what is needed and what is there, and costs nothing.

## Freshness
A portfolio is at most a minute old, or says so. The last read is answered at once; one that is older than a minute is renewed
behind. \`waitForSync=true\` waits for the new one, for up to 30 seconds. A wallet never seen is read before the answer.
\`asOf\` names the block of each chain, \`lastUpdated\` the oldest read.

## Completeness
\`incomplete\` lists what is missing or old, by chain and protocol. A failure is never shown as zero.

| reason | meaning |
|---|---|
| \`unreadable\` | a node answered what cannot be right, or nothing |
| \`stale\` | the figures are of an older block than usual |
| \`not-allowed\` | no node offers what it takes |
| \`time-limit\` | there was no time left to read it |
| \`searching\` | the search for tokens that no list names still goes on behind |
| \`unpriced-debt\` | a debt has no price, so that totals are too high |
| \`not-linked\` | a virtual user that is linked to no exchange |

An asset without a price has \`price\` and \`value\` 0 and \`priceSource: null\`, and is in no total. \`X-Data-Complete: false\`
is on each answer with anything in \`incomplete\`, and on validators' lists while some of the range is not indexed.

## Numbers
Amounts, prices and totals are decimal strings without exponent: no float is exact enough. A number that is not known is
\`"N/A"\`. Totals are the exact sums of the values shown; debts are positive values that totals subtract.

## Transactions and PnL
\`POST /v1/sync-transactions\` starts the search; \`GET /v1/status\` says how far it is, by chain, and what to do (\`action\`,
\`advice\`); \`GET /v1/transactions\` lists what was found, with the blocks that were searched. Before the first sync of a wallet
that list is empty, and \`syncs\` has the state \`never\`. Cost and PnL are \`"N/A"\` until a sync has ended; \`pnlReason\` beside
one says why it is, \`pnlIncomplete\` what the totals leave out.

## Events
\`POST /v1/webhooks\` has events posted to a URL of yours, \`GET /v1/events\` streams the same ones. \`POST /v1/watches\` names what
to be told of: thresholds of net worth, balances and credits, validators, airdrops. \`webhooks\` of this document has a model of
each kind.

## Errors
| status | meaning |
|---|---|
| 400 | the input is wrong; the message names the field |
| 401 | no valid key |
| 402 | too few credits |
| 403 | the account may not call this |
| 404 | no such thing |
| 409, 422 | the account's own data does not allow it |
| 429 | too many requests; \`Retry-After\` says when |
| 500 | a bug of the service; \`X-Request-Id\` finds it in its log |
| 501 | the operator has not set up what the call needs |
| 502 | a node, exchange or other source failed; try again |
| 503 | the service is busy; \`Retry-After\` says when |

Bodies of errors differ by route, as the interface has it: each operation shows its own.

## Limits
360 requests a minute and key in each bucket (\`x-rate-limit-bucket\`), 100 in \`beacon\`. \`X-RateLimit-Limit\`, \`-Remaining\` and
\`-Reset\` (Unix seconds) are on every answer. Names in a query are taken in any case, with or without \`_\` and \`-\`; names
that mean nothing are listed in \`X-Ignored-Parameters\`.

## Clients
This document generates typed clients, for example \`npx @hey-api/openapi-ts -i openapi.json -o client\`; the clients of
openapi-typescript, @hey-api/openapi-ts and orval are compiled and run with each version.
`

export const TAGS: Readonly<Record<string, string>> = {
  Portfolio: 'What wallets hold now.',
  Transactions: 'What wallets did, with cost basis and PnL.',
  Exports: 'Files of transactions, gains and holdings, for people and for other programs.',
  Snapshots: 'What wallets held on a day.',
  Approvals: 'What wallets allow others to spend.',
  'Virtual users': 'Holdings kept by hand, or at exchanges.',
  Validators: 'Validators of the beacon chain.',
  'Address book': 'Addresses that the account has saved.',
  Bundles: 'Named groups of saved addresses.',
  Webhooks: 'What the account wants to be told of, where it is posted to, and the same events as a stream.',
  Chains: 'Chains and protocols that are known.',
  Credits: 'What is left to spend.',
}
