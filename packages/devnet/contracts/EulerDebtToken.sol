// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IDebtVault {
    function debtOf(address account) external view returns (uint256);
    function totalBorrows() external view returns (uint256);
    function asset() external view returns (address);
    function symbol() external view returns (string memory);
    function name() external view returns (string memory);
    function decimals() external view returns (uint8);
}

/// A debt in a vault, seen as a token that nobody can send.
contract EulerDebtToken {
    address public immutable eVault;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        eVault = msg.sender;
    }

    function name() external view returns (string memory) {
        return string.concat("Debt token of ", IDebtVault(eVault).name());
    }

    function symbol() external view returns (string memory) {
        return string.concat(IDebtVault(eVault).symbol(), "-DEBT");
    }

    function decimals() external view returns (uint8) {
        return IDebtVault(eVault).decimals();
    }

    function totalSupply() external view returns (uint256) {
        return IDebtVault(eVault).totalBorrows();
    }

    function balanceOf(address account) external view returns (uint256) {
        return IDebtVault(eVault).debtOf(account);
    }

    function asset() external view returns (address) {
        return IDebtVault(eVault).asset();
    }

    function emitTransfer(address from, address to, uint256 value) external {
        require(msg.sender == eVault);
        emit Transfer(from, to, value);
    }
}
