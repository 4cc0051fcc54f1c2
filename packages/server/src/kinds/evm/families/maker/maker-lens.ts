import { parseAbi } from 'viem'
import { makerLensCode } from './maker-lens.bytecode.ts'

/** `maker-lens.sol`: CDPs and savings of a wallet and of its proxies. */
export const makerLens = {
  name: 'MakerLens',
  abi: parseAbi([
    'struct Maker { address vat; address jug; address pot; address manager; address registry; address dsrManager; }',
    'struct Cdp { uint256 number; bytes32 ilk; address urn; address gem; uint256 locked; uint256 freed; uint256 owed; uint256 health; }',
    'struct Found { Cdp[] cdps; uint256[] refused; bool isCut; uint256 count; uint256 failed; }',
    'function cdps(Maker at, address wallet, address[] proxies, bytes32[] own) returns (Found found)',
    'function saved(Maker at, address wallet, address[] proxies) returns (uint256 own, uint256 managed, uint256 loose, uint256[] byProxy)',
  ]),
  runtimeCode: makerLensCode.runtime,
} as const
