export const API_GUIDE = `Holdings, debts and transactions of blockchain wallets, with cost and gains, read from the chains. Guides for the subjects below, and for running the
service, are at [/docs/](/docs/).

## Authentication
Every call carries an API key: \`Authorization: Bearer coffer_…\`. The operator creates keys (\`coffer-admin key create\`).
\`GET /v1/credits\` and \`GET /v1/status\` are free and test a key. Plan and entitlements of the account determine the allowed calls:
see \`x-requires\` of each operation. Other calls return 403.

## Credits
\`x-credits\` is the price of a call. Credits are charged once the input is valid and the work starts. Every answer of 400 and
above returns them. 402 states the required and the available credits, and costs nothing.

## Freshness
A portfolio is at most a minute old, or says so. The service answers with the last read. If it is older than a minute, the
service refreshes it in the background. \`waitForSync=true\` waits for the new read, for up to 30 seconds. A new wallet is read
before the answer. \`asOf\` has the block of each chain, \`lastUpdated\` the oldest read.

## Completeness
\`incomplete\` lists missing and stale parts, by chain and protocol. A failure is never shown as zero.

| reason | meaning |
|---|---|
| \`unreadable\` | a node returned an impossible answer, or none |
| \`stale\` | the figures are from an older block than usual |
| \`not-allowed\` | no node supports the required calls |
| \`time-limit\` | the read timed out |
| \`searching\` | the search for unlisted tokens is still running in the background |
| \`unpriced-debt\` | a debt has no price, so totals are too high |
| \`not-linked\` | a virtual user is not linked to an exchange |
| \`no-state\` | no node has the state of the past block |

An asset without a price has \`price\` and \`value\` 0 and \`priceSource: null\`; totals exclude it. \`X-Data-Complete: false\`
is on each answer with an entry in \`incomplete\`, and on validators' lists while part of the range is not indexed.

## Numbers
Amounts, prices and totals are decimal strings without exponent, because floats are not exact. An unknown number is
\`"N/A"\`. Totals are the exact sums of the values shown; debts are positive values that totals subtract.

## Transactions and PnL
\`POST /v1/sync-transactions\` starts a sync. \`GET /v1/status\` shows its progress by chain, and the next step (\`action\`,
\`advice\`). \`GET /v1/transactions\` lists the transactions found, and the searched blocks. Before the first sync of a wallet
that list is empty, and \`syncs\` has the state \`never\`. Cost and PnL are \`"N/A"\` until a sync has ended. \`pnlReason\` has the
reason for an \`"N/A"\`, \`pnlIncomplete\` the parts that the totals exclude.

## Events
\`POST /v1/webhooks\` posts events to your URL, and \`GET /v1/events\` streams the same events. \`POST /v1/watches\` adds events
for thresholds of net worth, balances and credits, validators, and airdrops. \`webhooks\` of this document has a model of
each kind.

## Errors
| status | meaning |
|---|---|
| 400 | the input is invalid; the message names the field |
| 401 | no valid key |
| 402 | too few credits |
| 403 | the account may not call this |
| 404 | not found |
| 409, 422 | the account's own data does not allow it |
| 429 | too many requests; \`Retry-After\` has the seconds to wait |
| 500 | a bug of the service; \`X-Request-Id\` finds it in its log |
| 501 | the operator has not configured what the call needs |
| 502 | a node, exchange or other source failed; try again |
| 503 | the service is busy; \`Retry-After\` has the seconds to wait |

Bodies of errors differ by route: each operation shows its own.

## Limits
Each key can make 360 requests a minute in each bucket (\`x-rate-limit-bucket\`), 100 in \`beacon\`. \`X-RateLimit-Limit\`, \`-Remaining\` and
\`-Reset\` (Unix seconds) are on every answer. Names in a query may have any case, with or without \`_\` and \`-\`; unknown
names are listed in \`X-Ignored-Parameters\`.

## Clients
This document generates typed clients, for example \`npx @hey-api/openapi-ts -i openapi.json -o client\`; the clients of
openapi-typescript, @hey-api/openapi-ts and orval are compiled and run with each version.
`

export const TAGS: Readonly<Record<string, string>> = {
  Portfolio: 'Current holdings of wallets.',
  Transactions: 'Transactions of wallets, with cost basis and PnL.',
  Exports: 'Files of transactions, gains and holdings, for people and for other programs.',
  Snapshots: 'Holdings of wallets on past days.',
  Approvals: 'Token allowances that wallets have granted.',
  'Virtual users': 'Assets held off-chain: exchange accounts and manual balances.',
  Validators: 'Validators of the beacon chain.',
  'Address book': 'Saved addresses of the account.',
  Bundles: 'Named groups of saved addresses.',
  Webhooks: 'Watches that trigger events, webhooks that receive them, and the same events as a stream.',
  Chains: 'Known chains and protocols.',
  Credits: 'Available credits.',
}
