// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EulerVault, IConnector, IOracle} from "./EulerVault.sol";

/// Makes vaults for anyone, of any asset and with any oracle, and says which it made.
contract EulerVaultFactory {
    IConnector public immutable EVC;
    address[] public proxyList;
    mapping(address => bool) public isProxy;

    event ProxyCreated(address indexed proxy, bool upgradeable, address implementation, bytes trailingData);

    constructor(IConnector evc) {
        EVC = evc;
    }

    /// `trailingData`: the asset, the oracle and the unit of account, 20 bytes each.
    function createProxy(bool upgradeable, bytes calldata trailingData) external returns (address vault) {
        address asset = address(bytes20(trailingData[:20]));
        IOracle oracle = IOracle(address(bytes20(trailingData[20:40])));
        address unit = address(bytes20(trailingData[40:60]));
        string memory number = numeral(proxyList.length + 1);
        vault = address(new EulerVault(EVC, asset, oracle, unit, msg.sender, number));
        proxyList.push(vault);
        isProxy[vault] = true;
        emit ProxyCreated(vault, upgradeable, address(0), trailingData);
    }

    function getProxyListLength() external view returns (uint256) {
        return proxyList.length;
    }

    function numeral(uint256 n) private pure returns (string memory) {
        bytes memory digit = new bytes(1);
        digit[0] = bytes1(uint8(48 + (n % 10)));
        return n < 10 ? string(digit) : string.concat(numeral(n / 10), string(digit));
    }
}
