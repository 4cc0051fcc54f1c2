// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

uint256 constant PROBE_GAS = 1_000_000;
uint256 constant PROBE_ANSWERED = uint256(keccak256("SaleProbe"));

/// What of two tokens an owner gains by a call, by the `SaleProbe` at its address. `tried` is false where no probe answered.
function gainsOf(address owner, address target, bytes memory data, address token0, address token1)
    returns (bool tried, uint256 gained0, uint256 gained1)
{
    uint256[3] memory answer =
        probed(owner, abi.encodeWithSignature("gains(address,bytes,address,address)", target, data, token0, token1));
    return (answer[0] == PROBE_ANSWERED, answer[1], answer[2]);
}

/// All zero where the probe did not answer.
function probed(address owner, bytes memory question) returns (uint256[3] memory answer) {
    uint256 most = PROBE_GAS;
    assembly ("memory-safe") {
        let ok := call(most, owner, 0, add(question, 32), mload(question), answer, 96)
        if or(ok, sub(returndatasize(), 96)) { mstore(answer, 0) }
    }
}
