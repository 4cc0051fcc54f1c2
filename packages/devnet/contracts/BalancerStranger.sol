// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IVault {
    function registerPool(uint8 specialization) external returns (bytes32);
    function registerTokens(bytes32 id, address[] memory tokens, address[] memory managers) external;
}

interface IVault3 {
    function registerPool(address token) external;
}

/// A pool of a stranger, registered at Balancer's vaults as anyone may, which says what it likes: whose id it has, how much
/// everybody holds of it and how much there is.
contract BalancerStranger {
    bytes32 private immutable ownId;
    bytes32 private saidId;
    uint256 public totalSupply;
    uint256 private held;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(IVault vault) {
        ownId = vault.registerPool(0);
        saidId = ownId;
    }

    function register(IVault3 vault, address token) external {
        vault.registerPool(token);
    }

    /// A token of the pool, whose amount elsewhere the manager reports.
    function list(IVault vault, address token, address manager) external {
        (address[] memory tokens, address[] memory managers) = (new address[](1), new address[](1));
        (tokens[0], managers[0]) = (token, manager);
        vault.registerTokens(ownId, tokens, managers);
    }

    function pretend(address to, uint256 value) external {
        emit Transfer(address(0), to, value);
    }

    function say(bytes32 id, uint256 held_, uint256 supply) external {
        saidId = id == 0 ? ownId : id;
        held = held_;
        totalSupply = supply;
    }

    function getPoolId() external view returns (bytes32) {
        return saidId;
    }

    function balanceOf(address) external view returns (uint256) {
        return held;
    }
}
