// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.30;

/// Deposits of validators, as the consensus specifications have them: the same calls, the same log, the same tree.
contract DepositContract {
    uint256 private constant DEPTH = 32;
    uint256 private constant MAX_COUNT = 2 ** DEPTH - 1;

    bytes32[DEPTH] private branch;
    bytes32[DEPTH] private emptySubtrees;
    uint256 private count;

    /// No parameter is indexed; amount and index are little-endian.
    event DepositEvent(bytes pubkey, bytes withdrawal_credentials, bytes amount, bytes signature, bytes index);

    constructor() {
        for (uint256 height = 0; height < DEPTH - 1; height++) {
            emptySubtrees[height + 1] = pairHash(emptySubtrees[height], emptySubtrees[height]);
        }
    }

    function deposit(
        bytes calldata pubkey,
        bytes calldata withdrawal_credentials,
        bytes calldata signature,
        bytes32 deposit_data_root
    ) external payable {
        require(pubkey.length == 48, "DepositContract: invalid pubkey length");
        require(withdrawal_credentials.length == 32, "DepositContract: invalid withdrawal_credentials length");
        require(signature.length == 96, "DepositContract: invalid signature length");
        require(msg.value >= 1 ether, "DepositContract: deposit value too low");
        require(msg.value % 1 gwei == 0, "DepositContract: deposit value not multiple of gwei");
        uint256 amountGwei = msg.value / 1 gwei;
        require(amountGwei <= type(uint64).max, "DepositContract: deposit value too high");
        bytes memory amount = littleEndian(uint64(amountGwei));
        emit DepositEvent(pubkey, withdrawal_credentials, amount, signature, littleEndian(uint64(count)));
        bytes32 node = leafOf(pubkey, withdrawal_credentials, amount, signature);
        require(node == deposit_data_root, "DepositContract: reconstructed DepositData does not match");
        require(count < MAX_COUNT, "DepositContract: merkle tree full");
        insert(node);
    }

    function get_deposit_root() external view returns (bytes32) {
        bytes32 node;
        uint256 size = count;
        for (uint256 height = 0; height < DEPTH; height++) {
            node = size & 1 == 1 ? pairHash(branch[height], node) : pairHash(node, emptySubtrees[height]);
            size /= 2;
        }
        return sha256(abi.encodePacked(node, littleEndian(uint64(count)), bytes24(0)));
    }

    function get_deposit_count() external view returns (bytes memory) {
        return littleEndian(uint64(count));
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == 0x01ffc9a7 || interfaceId == 0x85640907;
    }

    function insert(bytes32 node) private {
        count += 1;
        uint256 size = count;
        for (uint256 height = 0; height < DEPTH; height++) {
            if (size & 1 == 1) {
                branch[height] = node;
                return;
            }
            node = pairHash(branch[height], node);
            size /= 2;
        }
    }

    /// The root of a DepositData: its four fields, each padded to whole chunks.
    function leafOf(
        bytes calldata pubkey,
        bytes calldata credentials,
        bytes memory amount,
        bytes calldata signature
    ) private pure returns (bytes32) {
        bytes32 pubkeyRoot = sha256(abi.encodePacked(pubkey, bytes16(0)));
        bytes32 signatureRoot = pairHash(
            sha256(abi.encodePacked(signature[:64])),
            sha256(abi.encodePacked(signature[64:], bytes32(0)))
        );
        return pairHash(
            sha256(abi.encodePacked(pubkeyRoot, credentials)),
            sha256(abi.encodePacked(amount, bytes24(0), signatureRoot))
        );
    }

    function pairHash(bytes32 left, bytes32 right) private pure returns (bytes32) {
        return sha256(abi.encodePacked(left, right));
    }

    function littleEndian(uint64 value) private pure returns (bytes memory bytes8Value) {
        bytes8Value = new bytes(8);
        for (uint256 at = 0; at < 8; at++) bytes8Value[at] = bytes1(uint8(value >> (8 * at)));
    }
}
