// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Asks a `SaleProbe`, where one stands at the owner's address, whether the owner's share of a pair can be burnt.
contract ExitLens {
    uint256 private constant PROBE_GAS = 1_000_000;
    uint256 private constant ANSWERED = uint256(keccak256("SaleProbe"));

    /// True only where the probe tried and the pair or one of its tokens refused.
    function isRefused(address pair, address owner) external returns (bool refused) {
        bytes memory data = abi.encodeWithSignature("leaves(address)", pair);
        uint256 answered = ANSWERED;
        assembly {
            let p := mload(0x40)
            let ok := call(PROBE_GAS, owner, 0, add(data, 32), mload(data), p, 64)
            if and(iszero(ok), and(eq(returndatasize(), 64), eq(mload(p), answered))) {
                refused := iszero(mload(add(p, 32)))
            }
        }
    }
}
