import { chainRows } from '../chain-rows.ts'
import { parseOptionalQuantity, parseQuantity } from '../rpc-values.ts'

type FeeOf = (receipt: Record<string, unknown>, gasUsed: bigint, chain: string) => bigint

const BLOB_TRANSACTION = '0x3'
const OP_DEPOSIT = '0x7e'

/** EIP-4844. Since Jovian, other types on OP chains report their data footprint as `blobGasUsed`. */
const blobFee: FeeOf = ({ type, blobGasUsed, blobGasPrice }) =>
  type === BLOB_TRANSACTION
    ? (parseOptionalQuantity(blobGasUsed) ?? 0n) * (parseOptionalQuantity(blobGasPrice) ?? 0n)
    : 0n

const dataFeeSince = new Map(chainRows.map((row) => [row.key, row.dataFeeSince]))

/** Mantle, whose receipts alone have `tokenRatio`: gas includes it until Arsia, whose receipts have `l1BaseFeeScalar`. */
const layerOneFee: FeeOf = ({ blockNumber, l1Fee, tokenRatio, l1BaseFeeScalar }, _, chain) => {
  const isInGas = parseOptionalQuantity(tokenRatio) !== null && parseOptionalQuantity(l1BaseFeeScalar) === null
  return isInGas || parseQuantity(blockNumber) < (dataFeeSince.get(chain) ?? 0n)
    ? 0n
    : (parseOptionalQuantity(l1Fee) ?? 0n)
}

/**
 * OP Stack: per million gas since Isthmus, a hundredfold per gas since Jovian, whose receipts have
 * `daFootprintGasScalar`.
 */
const operatorFee: FeeOf = ({ type, operatorFeeScalar, operatorFeeConstant, daFootprintGasScalar }, gasUsed) => {
  if (type === OP_DEPOSIT) return 0n
  const scaled = gasUsed * (parseOptionalQuantity(operatorFeeScalar) ?? 0n)
  const isJovian = parseOptionalQuantity(daFootprintGasScalar) !== null
  return (isJovian ? scaled * 100n : scaled / 1_000_000n) + (parseOptionalQuantity(operatorFeeConstant) ?? 0n)
}

const furtherFees: readonly FeeOf[] = [blobFee, layerOneFee, operatorFee]

/** Fees next to the gas, in base units of the native coin. */
export const furtherFeeOf: FeeOf = (receipt, gasUsed, chain) =>
  furtherFees.reduce((total, feeOf) => total + feeOf(receipt, gasUsed, chain), 0n)
