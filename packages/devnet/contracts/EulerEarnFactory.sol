// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EulerEarnVault, IERC20} from "./EulerEarnVault.sol";
import {IConnector} from "./EulerVault.sol";

/// Makes vaults over vaults for anyone, and says which it made.
contract EulerEarnFactory {
    IConnector public immutable EVC;
    mapping(address => bool) public isVault;

    event CreateEulerEarn(address indexed eulerEarn, address indexed caller, address initialOwner, address indexed asset);

    constructor(IConnector evc) {
        EVC = evc;
    }

    function createEulerEarn(
        address initialOwner,
        uint256,
        address asset,
        string memory name,
        string memory symbol,
        bytes32 salt
    ) external returns (address vault) {
        vault = address(new EulerEarnVault{salt: salt}(initialOwner, EVC, IERC20(asset), name, symbol));
        isVault[vault] = true;
        emit CreateEulerEarn(vault, msg.sender, initialOwner, asset);
    }
}
