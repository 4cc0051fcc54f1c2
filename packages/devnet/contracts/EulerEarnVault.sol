// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626, IERC20, IERC4626, Math} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IConnector} from "./EulerVault.sol";

/// A vault that lends its assets through other vaults, in the order of a queue, as EulerEarn does. One queue for both ways,
/// without caps, timelocks and roles; a loss stays in what shares convert to.
contract EulerEarnVault is ERC4626 {
    using Math for uint256;

    uint256 private constant VIRTUAL = 1e6;
    uint256 private constant WAD = 1e18;

    address public immutable owner;
    IConnector public immutable EVC;
    IERC4626[] public withdrawQueue;
    uint256 public lastTotalAssets;
    uint256 public lostAssets;
    uint256 public fee;
    address public feeRecipient;

    constructor(address owner_, IConnector evc, IERC20 asset_, string memory name_, string memory symbol_)
        ERC20(name_, symbol_)
        ERC4626(asset_)
    {
        (owner, EVC) = (owner_, evc);
    }

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    function addStrategy(IERC4626 strategy) external onlyOwner {
        withdrawQueue.push(strategy);
        IERC20(asset()).approve(address(strategy), type(uint256).max);
    }

    function setFee(uint256 fee_, address recipient) external onlyOwner {
        accrue();
        (fee, feeRecipient) = (fee_, recipient);
    }

    /// Moves assets from one strategy to another.
    function reallocate(IERC4626 from, IERC4626 to, uint256 assets) external onlyOwner {
        from.withdraw(assets, address(this), address(this));
        to.deposit(assets, address(this));
    }

    function withdrawQueueLength() external view returns (uint256) {
        return withdrawQueue.length;
    }

    function totalAssets() public view override returns (uint256 all) {
        (, all,) = accrued();
    }

    function maxWithdraw(address account) public view override returns (uint256) {
        uint256 wanted = convertToAssets(balanceOf(account));
        uint256 left = wanted;
        for (uint256 i = 0; i < withdrawQueue.length && left > 0; i++) {
            left = left.saturatingSub(withdrawQueue[i].maxWithdraw(address(this)));
        }
        return wanted - left;
    }

    function _convertToShares(uint256 assets, Math.Rounding rounding) internal view override returns (uint256) {
        (uint256 feeShares, uint256 all,) = accrued();
        return assets.mulDiv(totalSupply() + feeShares + VIRTUAL, all + VIRTUAL, rounding);
    }

    function _convertToAssets(uint256 shares, Math.Rounding rounding) internal view override returns (uint256) {
        (uint256 feeShares, uint256 all,) = accrued();
        return shares.mulDiv(all + VIRTUAL, totalSupply() + feeShares + VIRTUAL, rounding);
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256) {
        accrue();
        return super.deposit(assets, receiver);
    }

    function withdraw(uint256 assets, address receiver, address account) public override returns (uint256 shares) {
        accrue();
        shares = previewWithdraw(assets);
        _withdraw(_msgSender(), receiver, account, assets, shares);
    }

    function redeem(uint256 shares, address receiver, address account) public override returns (uint256 assets) {
        accrue();
        assets = previewRedeem(shares);
        _withdraw(_msgSender(), receiver, account, assets, shares);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, shares);
        withdrawQueue[0].deposit(assets, address(this));
        lastTotalAssets += assets;
    }

    function _withdraw(address caller, address receiver, address account, uint256 assets, uint256 shares)
        internal
        override
    {
        lastTotalAssets = lastTotalAssets.saturatingSub(assets);
        uint256 left = assets;
        for (uint256 i = 0; i < withdrawQueue.length && left > 0; i++) {
            uint256 part = Math.min(left, withdrawQueue[i].maxWithdraw(address(this)));
            if (part == 0) continue;
            withdrawQueue[i].withdraw(part, address(this), address(this));
            left -= part;
        }
        require(left == 0, "NotEnoughLiquidity");
        super._withdraw(caller, receiver, account, assets, shares);
    }

    /// Whom the connector acts for, where it calls.
    function _msgSender() internal view override returns (address account) {
        if (msg.sender != address(EVC)) return msg.sender;
        (account,) = EVC.getCurrentOnBehalfOfAccount(address(0));
    }

    function accrue() private {
        (uint256 feeShares, uint256 all, uint256 lost) = accrued();
        (lastTotalAssets, lostAssets) = (all, lost);
        if (feeShares > 0) _mint(feeRecipient, feeShares);
    }

    function accrued() private view returns (uint256 feeShares, uint256 all, uint256 lost) {
        uint256 real;
        for (uint256 i = 0; i < withdrawQueue.length; i++) {
            real += withdrawQueue[i].previewRedeem(withdrawQueue[i].balanceOf(address(this)));
        }
        lost = real < lastTotalAssets - lostAssets ? lastTotalAssets - real : lostAssets;
        all = real + lost;
        uint256 interest = all - lastTotalAssets;
        if (interest == 0 || fee == 0) return (0, all, lost);
        uint256 feeAssets = interest.mulDiv(fee, WAD);
        feeShares = feeAssets.mulDiv(totalSupply() + VIRTUAL, all - feeAssets + VIRTUAL);
    }
}
