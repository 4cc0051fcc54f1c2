// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface EntryPoint {
    function createCustomPool(address deployer, address creator, address tokenA, address tokenB, bytes calldata data)
        external
        returns (address);
}

interface PluggedPool {
    function setPluginConfig(uint8 config) external;
}

/// Deploys pools of Algebra Integral of its own, and is their plugin: it keeps a part of what is taken out.
contract AlgebraPlugin {
    uint8 private constant BEFORE_POSITION_MODIFY = 1 << 2;
    uint24 private kept;

    function open(EntryPoint entry, address tokenA, address tokenB) external returns (address) {
        return entry.createCustomPool(address(this), msg.sender, tokenA, tokenB, "");
    }

    /// In millionths.
    function keep(PluggedPool pool, uint24 part) external {
        kept = part;
        pool.setPluginConfig(BEFORE_POSITION_MODIFY);
    }

    function beforeCreatePoolHook(address, address, address, address, address, bytes calldata)
        external
        view
        returns (address)
    {
        return address(this);
    }

    function afterCreatePoolHook(address, address, address) external {}

    function defaultPluginConfig() external pure returns (uint8) {
        return 0;
    }

    function beforeInitialize(address, uint160) external pure returns (bytes4) {
        return this.beforeInitialize.selector;
    }

    function beforeModifyPosition(address, address, int24, int24, int128 change, bytes calldata)
        external
        view
        returns (bytes4, uint24)
    {
        return (this.beforeModifyPosition.selector, change < 0 ? kept : 0);
    }

    function handlePluginFee(uint256, uint256) external pure returns (bytes4) {
        return this.handlePluginFee.selector;
    }
}
