// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IAsset {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
}

/// Calls itself an ERC-4626 vault and says whatever it was last told to say.
contract HostileVault {
    enum Answer { Honest, Zero, Huge, Revert, BurnGas }

    string public constant name = "Vault";
    string public constant symbol = "vTKN";
    uint8 public constant decimals = 18;
    address public asset;
    Answer public supplies;
    Answer public rates;
    Answer public balances;
    Answer public pays;
    uint256 private supply;
    mapping(address => uint256) private shares;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(address asset_) {
        asset = asset_;
    }

    function turn(Answer supplies_, Answer rates_, Answer balances_, Answer pays_) external {
        (supplies, rates, balances, pays) = (supplies_, rates_, balances_, pays_);
    }

    function turnAsset(address asset_) external {
        asset = asset_;
    }

    function mint(address to, uint256 value) external {
        supply += value;
        shares[to] += value;
        emit Transfer(address(0), to, value);
    }

    /// Shares that the supply leaves out.
    function conjure(address to, uint256 value) external {
        shares[to] += value;
    }

    function approve(address, uint256) external pure returns (bool) {
        return true;
    }

    function allowance(address, address) external pure returns (uint256) {
        return type(uint256).max;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        return transferFrom(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) public returns (bool) {
        shares[from] -= value;
        shares[to] += value;
        emit Transfer(from, to, value);
        return true;
    }

    function pretend(address to, uint256 value) external {
        emit Transfer(address(0), to, value);
    }

    /// Gives the owner his part of what lies in it, whatever else it says of itself, unless it was told not to.
    function redeem(uint256 value, address receiver, address owner) external returns (uint256 assets) {
        require(msg.sender == owner, "not yours");
        assets = said(pays, value * IAsset(asset).balanceOf(address(this)) / supply);
        shares[owner] -= value;
        supply -= value;
        IAsset(asset).transfer(receiver, assets);
    }

    /// Takes what lies in it away.
    function drain(address to) external {
        IAsset(asset).transfer(to, IAsset(asset).balanceOf(address(this)));
    }

    function totalSupply() external view returns (uint256) {
        return said(supplies, supply);
    }

    function balanceOf(address owner) external view returns (uint256) {
        return said(balances, shares[owner]);
    }

    function convertToAssets(uint256 value) external view returns (uint256) {
        return said(rates, supply == 0 ? 0 : value * IAsset(asset).balanceOf(address(this)) / supply);
    }

    function said(Answer answer, uint256 honest) private pure returns (uint256) {
        if (answer == Answer.Zero) return 0;
        if (answer == Answer.Huge) return 10 ** 30;
        if (answer == Answer.Revert) revert("not now");
        if (answer == Answer.BurnGas) while (true) {}
        return honest;
    }
}
