import type { Migration } from 'kysely/migration'
import { up as accountsAndCredits } from './0001-accounts-and-credits.ts'
import { up as walletReads } from './0002-wallet-reads.ts'
import { up as addressBook } from './0003-address-book.ts'
import { up as secrets } from './0004-secrets.ts'
import { up as virtualUsers } from './0005-virtual-users.ts'
import { up as ownerChallenge } from './0006-owner-challenge.ts'
import { up as approvals } from './0007-approvals.ts'
import { up as history } from './0008-history.ts'
import { up as snapshots } from './0009-snapshots.ts'
import { up as earlyReads } from './0010-early-reads.ts'
import { up as usedPrograms } from './0011-used-programs.ts'
import { up as historyTokenAccounts } from './0012-history-token-accounts.ts'
import { up as validators } from './0013-validators.ts'
import { up as withdrawalsAndDeposits } from './0014-withdrawals-and-deposits.ts'
import { up as depositSignatures } from './0015-deposit-signatures.ts'
import { up as validatorRegistry } from './0016-validator-registry.ts'
import { up as scansOfEveryone } from './0017-scans-of-everyone.ts'
import { up as identityOfChains } from './0018-identity-of-chains.ts'
import { up as strangersContracts } from './0019-strangers-contracts.ts'
import { up as accountingFacts } from './0020-accounting-facts.ts'
import { up as interruptedWork } from './0021-interrupted-work.ts'
import { up as chargesThatDoNotWait } from './0022-charges-that-do-not-wait.ts'
import { up as historyGaps } from './0023-history-gaps.ts'
import { up as walletSearch } from './0025-wallet-search.ts'
import { up as walletUse } from './0029-wallet-use.ts'
import { up as closedDays } from './0030-closed-days.ts'
import { up as syncPace } from './0031-sync-pace.ts'
import { up as repaidDebts } from './0032-repaid-debts.ts'
import { up as passingSnapshots } from './0033-passing-snapshots.ts'
import { up as walletKeys } from './0034-wallet-keys.ts'
import { up as oneCoverage } from './0035-one-coverage.ts'
import { up as alsoShown } from './0036-also-shown.ts'
import { up as shortRowNames } from './0037-short-row-names.ts'
import { up as portal } from './0038-portal.ts'
import { up as usage } from './0039-usage.ts'
import { up as waysToSignIn } from './0041-ways-to-sign-in.ts'
import { up as events } from './0043-events.ts'
import { up as chainEnds } from './0045-chain-ends.ts'
import { up as watches } from './0046-watches.ts'
import { up as invitations } from './0047-invitations.ts'
import { up as contractsToAsk } from './0048-contracts-to-ask.ts'
import { up as openersOfChallenges } from './0049-openers-of-challenges.ts'
import { up as historiesByChain } from './0050-histories-by-chain.ts'
import { up as shownUnits } from './0051-shown-units.ts'
import { up as replacedChains } from './0052-replaced-chains.ts'
import { up as protocolBasis } from './0053-protocol-basis.ts'

/**
 * Every migration by its name, `0001-what-it-adds`; they run in the order of their names. One that has shipped is never
 * edited or renamed: a change is a new migration.
 */
export const migrations: Record<string, Migration> = {
  '0001-accounts-and-credits': { up: accountsAndCredits },
  '0002-wallet-reads': { up: walletReads },
  '0003-address-book': { up: addressBook },
  '0004-secrets': { up: secrets },
  '0005-virtual-users': { up: virtualUsers },
  '0006-owner-challenge': { up: ownerChallenge },
  '0007-approvals': { up: approvals },
  '0008-history': { up: history },
  '0009-snapshots': { up: snapshots },
  '0010-early-reads': { up: earlyReads },
  '0011-used-programs': { up: usedPrograms },
  '0012-history-token-accounts': { up: historyTokenAccounts },
  '0013-validators': { up: validators },
  '0014-withdrawals-and-deposits': { up: withdrawalsAndDeposits },
  '0015-deposit-signatures': { up: depositSignatures },
  '0016-validator-registry': { up: validatorRegistry },
  '0017-scans-of-everyone': { up: scansOfEveryone },
  '0018-identity-of-chains': { up: identityOfChains },
  '0019-strangers-contracts': { up: strangersContracts },
  '0020-accounting-facts': { up: accountingFacts },
  '0021-interrupted-work': { up: interruptedWork },
  '0022-charges-that-do-not-wait': { up: chargesThatDoNotWait },
  '0023-history-gaps': { up: historyGaps },
  '0025-wallet-search': { up: walletSearch },
  '0029-wallet-use': { up: walletUse },
  '0030-closed-days': { up: closedDays },
  '0031-sync-pace': { up: syncPace },
  '0032-repaid-debts': { up: repaidDebts },
  '0033-passing-snapshots': { up: passingSnapshots },
  '0034-wallet-keys': { up: walletKeys },
  '0035-one-coverage': { up: oneCoverage },
  '0036-also-shown': { up: alsoShown },
  '0037-short-row-names': { up: shortRowNames },
  '0038-portal': { up: portal },
  '0039-usage': { up: usage },
  '0041-ways-to-sign-in': { up: waysToSignIn },
  '0043-events': { up: events },
  '0045-chain-ends': { up: chainEnds },
  '0046-watches': { up: watches },
  '0047-invitations': { up: invitations },
  '0048-contracts-to-ask': { up: contractsToAsk },
  '0049-openers-of-challenges': { up: openersOfChallenges },
  '0050-histories-by-chain': { up: historiesByChain },
  '0051-shown-units': { up: shownUnits },
  '0052-replaced-chains': { up: replacedChains },
  '0053-protocol-basis': { up: protocolBasis },
}
