// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IBlue, MorphoVault} from "./MorphoVault.sol";

/// Makes vaults over Morpho Blue for anyone, and says which it made, as MetaMorpho's factory does.
contract MorphoVaultFactory {
    address public immutable MORPHO;
    mapping(address => bool) public isMetaMorpho;

    event CreateMetaMorpho(
        address indexed metaMorpho,
        address indexed caller,
        address initialOwner,
        uint256 initialTimelock,
        address indexed asset,
        string name,
        string symbol,
        bytes32 salt
    );

    constructor(address blue) {
        MORPHO = blue;
    }

    function createMetaMorpho(
        address initialOwner,
        uint256 initialTimelock,
        address asset,
        string memory name,
        string memory symbol,
        bytes32 salt
    ) external returns (address vault) {
        vault = address(new MorphoVault{salt: salt}(initialOwner, IBlue(MORPHO), IERC20(asset), name, symbol));
        isMetaMorpho[vault] = true;
        emit CreateMetaMorpho(vault, msg.sender, initialOwner, initialTimelock, asset, name, symbol, salt);
    }
}
