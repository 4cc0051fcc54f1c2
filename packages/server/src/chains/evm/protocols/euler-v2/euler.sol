// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Factory {
    function isProxy(address vault) external view returns (bool);
}

interface EarnFactory {
    function isVault(address vault) external view returns (bool);
}

interface Vault {
    function asset() external view returns (address);
    function balanceOf(address account) external view returns (uint256);
    function convertToAssets(uint256 shares) external view returns (uint256);
    function maxWithdraw(address owner) external view returns (uint256);
    function cash() external view returns (uint256);
    function debtOf(address account) external view returns (uint256);
    function dToken() external view returns (address);
    function accountLiquidity(address account, bool liquidation)
        external
        view
        returns (uint256 collateralValue, uint256 liabilityValue);
}

/// The word that a contract answers; 0 where it refuses, burns its gas or answers less. No more of an answer is copied.
function wordOf(address target, uint256 gasLimit, bytes memory question) view returns (uint256 word) {
    assembly ("memory-safe") {
        let ok := staticcall(gasLimit, target, add(question, 32), mload(question), 0, 32)
        if and(ok, gt(returndatasize(), 31)) { word := mload(0) }
    }
}

uint256 constant FLAG_GAS = 100_000;

function isMade(address factory, address vault) view returns (bool) {
    return wordOf(factory, FLAG_GAS, abi.encodeCall(Factory.isProxy, (vault))) == 1;
}
