// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IRocketStore {
    function createMinipool(address node, uint256 bond, uint256 fee) external returns (address);
}

interface IRocketMinipool {
    function preDeposit() external payable;
}

/// RocketNodeDeposit of before Saturn, which the storage names no longer: a bond makes a minipool.
contract RocketNodeDepositEarlier {
    IRocketStore private immutable store;

    event DepositReceived(address indexed from, uint256 amount, uint256 time);

    constructor(IRocketStore at) {
        store = at;
    }

    function deposit(uint256 bond, uint256 fee) external payable {
        emit DepositReceived(msg.sender, msg.value, block.timestamp);
        IRocketMinipool(store.createMinipool(msg.sender, bond, fee)).preDeposit{value: msg.value}();
    }
}
